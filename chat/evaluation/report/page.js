(() => {
  const all = [...document.querySelectorAll("details.d")];
  const of = (name) => document.querySelector(`[data-filter="${name}"]`);
  const count = document.querySelector("#count");
  function filter() {
    const [system, intent, words, metric] = ["system", "intent", "words", "low"].map((n) => (of(n) ? of(n).value : ""));
    const best = of("low")?.selectedOptions[0].dataset.best;
    let shown = 0;
    for (const d of all) {
      const low = !metric || Number(d.dataset["m" + metric]) < Number(best);
      const text = !words || d.textContent.toLowerCase().includes(words.toLowerCase());
      d.hidden = !((!system || d.dataset.system === system) && (!intent || d.dataset.intent === intent) && low && text);
      shown += !d.hidden;
    }
    if (count) count.textContent = `${shown} of ${all.length} dialogues`;
  }
  document.querySelectorAll("[data-filter]").forEach((e) => e.addEventListener("input", filter));
  filter();
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-turn]");
    if (!link) return;
    const turn = document.getElementById(link.dataset.turn);
    if (!turn) return;
    event.preventDefault();
    document.querySelectorAll(".hit").forEach((e) => e.classList.remove("hit"));
    turn.querySelector(".it")?.classList.add("hit");
    turn.scrollIntoView({ behavior: "smooth", block: "center" });
  });
  const token = document.body.dataset.token;
  if (!token) return;
  document.querySelectorAll("form.grading").forEach((form) => {
    form.hidden = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const data = new FormData(form);
      const note = form.querySelector("output");
      if (data.get("score") === "") { note.textContent = "Choose a score."; return; }
      const body = { key: form.dataset.key, metric: data.get("metric"), of: Number(data.get("of")),
        score: Number(data.get("score")), reason: data.get("reason") };
      try {
        const said = await fetch("grade", { method: "POST", body: JSON.stringify(body),
          headers: { "content-type": "application/json", "x-duet-token": token } });
        const answer = await said.json();
        note.textContent = answer.text;
        const where = document.querySelector("#agreement");
        if (said.ok && where && answer.agreement) where.innerHTML = answer.agreement;
      } catch { note.textContent = "Not stored: the server does not answer. Start `evaluate grade` again."; }
    });
  });
})();
