// The link's secret stands behind the number sign, which no browser sends: it is posted once, for
// a cookie that no script can read, and taken out of the address and the history.
function enter() {
  const token = location.hash.slice(1);
  if (!token || token === "main") return; // "main" is where the link to the content leads
  history.replaceState(null, "", "/");
  document.getElementById("token").value = token;
  document.getElementById("enter").requestSubmit();
}

// A link that is opened where this page stands already loads nothing.
addEventListener("hashchange", enter);
enter();
