// The link's secret stands behind the number sign, which no browser sends: it is posted once, for
// a cookie that no script can read, and taken out of the address and the history.
const token = location.hash.slice(1);
if (token) {
  history.replaceState(null, "", "/");
  document.getElementById("token").value = token;
  document.getElementById("enter").requestSubmit();
}
