// SUITS and SIGNS stand before it in the page.
(function () {
  "use strict";

  function make(tag, names, text) {
    const node = document.createElement(tag);
    if (names) node.className = names;
    if (text !== undefined) node.textContent = text;
    return node;
  }

  // Text apart from the colour of the suit: a card, or a bid such as 3H or 2NT.
  function coloured(text) {
    if (text === "*") return make("span", "card", "\u2605");
    const suit = text.slice(-1), node = make("span", "card " + suit);
    node.textContent = suit in SIGNS && text.length === 2 ? text[0] + SIGNS[suit] : text;
    return node;
  }

  function suitLines(cards, look) {
    return SUITS.split("").map(function (suit) {
      const line = make("div"), own = cards.filter((card) => card[1] === suit);
      line.append(make("span", suit, SIGNS[suit]), " ");
      if (!own.length) line.append("\u2013");
      own.forEach(function (card) {
        line.append(make("span", "card " + suit + " " + (look ? look(card) : ""), card[0]), " ");
      });
      return line;
    });
  }

  // Everything that happens, one after another.
  function happenings(record) {
    const steps = [{ kind: "deal" }];
    record.auction.forEach((call) => steps.push({ kind: "call", seat: call.seat, call: call.call }));
    if (record.discard) steps.push({ kind: "kitty", seat: record.contract.declarer });
    const seats = Object.keys(record.hands);
    record.tricks.forEach(function (trick, number) {
      trick.cards.forEach(function (card, place) {
        const seat = seats[(seats.indexOf(trick.leader) + place) % seats.length];
        steps.push({ kind: "play", number: number, place: place, seat: seat, card: card,
          last: place === trick.cards.length - 1 });
      });
    });
    steps.push({ kind: "end" });
    return steps;
  }

  function begin(root) {
    const record = JSON.parse(root.querySelector("script").textContent);
    const steps = happenings(record), seats = Object.keys(record.hands);
    const order = "AKQJT98765432";
    let at = 0;

    const live = make("div", "live"), line = make("div", "bar-line"), said = make("p", "said");
    said.setAttribute("aria-live", "polite");
    const slider = make("input");
    slider.type = "range"; slider.min = 0; slider.max = steps.length - 1; slider.value = 0;
    slider.setAttribute("aria-label", "step of the hand");
    function button(text, label, move) {
      const node = make("button", "", text);
      node.type = "button"; node.setAttribute("aria-label", label); node.title = label;
      node.addEventListener("click", () => show(move()));
      line.append(node);
      return node;
    }
    const first = button("|\u25c0", "to the deal", () => 0);
    const back = button("\u25c0", "one step back", () => at - 1);
    const next = button("\u25b6", "one step on", () => at + 1);
    const trick = button("trick \u25b6", "to the end of the trick", function () {
      let to = at + 1;
      while (to < steps.length - 1 && !steps[to].last) to += 1;
      return to;
    });
    const last = button("\u25b6|", "to the end", () => steps.length - 1);
    line.append(slider);
    const why = make("p", "why quiet");
    const board = make("div", "table"), calls = make("div", "calls"), piles = make("div", "piles");
    live.append(line, said, ...(record.why ? [why] : []), board, calls, piles);
    root.prepend(live);
    slider.addEventListener("input", () => show(Number(slider.value)));
    live.addEventListener("keydown", function (event) {
      if (event.target === slider) return;
      if (event.key === "ArrowRight") show(at + 1);
      else if (event.key === "ArrowLeft") show(at - 1);
      else return;
      event.preventDefault();
    });

    function show(to) {
      at = Math.max(0, Math.min(steps.length - 1, to));
      const now = steps[at], past = steps.slice(0, at + 1);
      slider.value = at;
      first.disabled = back.disabled = at === 0;
      next.disabled = trick.disabled = last.disabled = at === steps.length - 1;
      const gone = new Set(past.filter((step) => step.kind === "play").map((step) => step.card));
      const taken = past.some((step) => step.kind === "kitty");
      tell(now, past);
      weigh(now);
      drawHands(now, gone, taken);
      calls.replaceChildren(...past.filter((step) => step.kind === "call").map(function (step) {
        const node = make("span");
        node.append(step.seat + " ", coloured(step.call));
        return node;
      }));
      drawPiles(past, now.kind === "end");
    }

    function tell(now, past) {
      said.replaceChildren();
      if (now.kind === "deal") said.append("The cards are dealt; " + record.dealer + " deals.");
      else if (now.kind === "call") said.append(now.seat + ": ", coloured(now.call), ".");
      else if (now.kind === "kitty") said.append(now.seat + " takes the kitty and lays down ",
        coloured(record.discard), ".");
      else if (now.kind === "play") {
        said.append("Trick " + (now.number + 1) + ": " + now.seat + (now.place ? " plays " : " leads "),
          coloured(now.card), now.last ? "; " + record.tricks[now.number].winner + " wins it." : ".");
      } else if (!record.tricks.length) said.append("Nobody bid: the hand is passed out.");
      else {
        const made = record.made;
        said.append(made === null ? "" : made ? "The contract is made: " : "The contract has failed: ");
        Object.values(record.sides).forEach(function (side, place) {
          said.append((place ? ", " : "") + side.seats.join("+") + " score " + side.score);
        });
        said.append(".");
      }
      const contract = record.contract;
      const bid = past.filter((step) => step.kind === "call").length === record.auction.length;
      if (contract && bid && now.kind !== "deal") {
        said.append(make("br"), contract.declarer + " declares ",
          coloured(contract.level + contract.denomination));
        if (contract.target !== null) said.append(" for " + contract.target + " points");
        if (contract.stated !== null) said.append(", with a stated chance of " + (100 * contract.stated).toFixed(1) + " %");
        said.append(".");
      }
    }

    // What a player that tries cards out in thought gave each of them.
    function weigh(now) {
      why.replaceChildren();
      const note = now.kind === "play" && (record.why || []).find((each) =>
        each.trick === now.number && each.seat === now.seat);
      if (!note) return;
      why.append(now.seat + " weighed, in " + note.worlds + (note.worlds === 1 ? " world" : " worlds") +
        ", points above the plain card: ");
      note.candidates.forEach(function (each, place) {
        why.append(place ? ", " : "", coloured(each.card), " " + each.gain.toFixed(1));
      });
      why.append(".");
    }

    function drawHands(now, gone, taken) {
      board.replaceChildren();
      seats.forEach(function (seat) {
        let cards = record.hands[seat].slice();
        if (taken && record.contract.declarer === seat) {
          cards = cards.concat(record.kitty).filter((card) => card !== record.discard);
          cards.sort((a, b) => order.indexOf(a[0]) - order.indexOf(b[0]));
        }
        const node = make("div", "seat " + seat + (now.seat === seat ? " turn" : ""));
        const head = make("h4", "", seat + " ");
        const jokers = record.jokers[seat];
        head.append(make("small", "", record.entrants[seat] + (jokers ? " " + "\u2605".repeat(jokers) : "")));
        node.append(head, ...suitLines(cards, (card) =>
          now.card === card ? "now" : gone.has(card) ? "gone" : ""));
        board.append(node);
      });
      const mid = make("div", "mid");
      if (now.kind === "play") {
        const trick = record.tricks[now.number];
        trick.cards.slice(0, now.place + 1).forEach(function (card, place) {
          const seat = seats[(seats.indexOf(trick.leader) + place) % seats.length];
          const node = coloured(card);
          node.classList.add("p" + seat);
          if (now.last && seat === trick.winner) node.classList.add("won");
          mid.append(node);
        });
      }
      board.append(mid);
    }

    function drawPiles(past, over) {
      piles.replaceChildren();
      if (!past.some((step) => step.kind === "play")) return;
      const done = past.filter((step) => step.last).length;
      Object.entries(record.sides).forEach(function (entry) {
        const name = record.contract ? entry[0] : "no contract", side = entry[1];
        const won = record.tricks.slice(0, done).filter((trick) => side.seats.includes(trick.winner));
        let cards = over ? side.captured.slice() : won.flatMap((trick) => trick.cards);
        cards.sort((a, b) => order.indexOf(a[0]) - order.indexOf(b[0]));
        const node = make("div", "pile");
        node.append(make("h4", "", side.seats.join("+") + ", " + name + ": " + won.length +
          (won.length === 1 ? " trick" : " tricks")));
        if (over) {
          const melds = make("p");
          side.melds.forEach(function (meld) {
            const box = make("span", "meld");
            meld.forEach((card) => box.append(coloured(card), " "));
            melds.append(box);
          });
          node.append(melds, make("p", "quiet", side.melds.length + (side.melds.length === 1 ? " meld" : " melds") +
            " worth " + side.meld_points + ", " + side.dead + (side.dead === 1 ? " dead card" : " dead cards") +
            (side.slam_bonus ? ", slam " + side.slam_bonus : "") + ": score " + side.score));
        } else node.append(...suitLines(cards));
        piles.append(node);
      });
    }

    show(0);
  }

  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach((node) => { node.open = true; });
  });
  document.documentElement.classList.add("js");
  document.querySelectorAll(".replay").forEach(begin);
})();
