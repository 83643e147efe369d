// A link's secret follows the number sign, which no browser sends. It is posted once, in exchange
// for a cookie that no script can read, and removed from the address and the history.
function enter() {
  const token = location.hash.slice(1);
  if (!token || token === "main") return; // "main" is the link to the content
  history.replaceState(null, "", location.pathname);
  document.getElementById("token").value = token;
  document.getElementById("enter").requestSubmit();
}

// If this page is already open, opening a link does not load it again.
addEventListener("hashchange", enter);
addEventListener("DOMContentLoaded", enter);
