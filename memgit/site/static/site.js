// Keys, and reloading while `memgit serve` runs. Everything else works without scripts.
const search = document.getElementById("q");

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    search.focus();
  }
});

// A heading that a link names opens what hides it.
const named = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
if (named) {
  named.closest("details")?.setAttribute("open", "");
}

const live = document.body.dataset.live;
if (live) {
  setInterval(async () => {
    try {
      const answer = await fetch(`/-/state`, { cache: "no-store" });
      if (answer.ok && (await answer.text()) !== live) location.reload();
    } catch {
      // The server has stopped: the page stays as it is.
    }
  }, 2000);
}
