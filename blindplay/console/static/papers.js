// A record to print opens the browser's own dialog. Without this script it is only shown.

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-print]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const shown = window.open(link.href);
  if (!shown) return; // the browser opens no windows; the link does
  event.preventDefault();
  shown.addEventListener("load", () => shown.print());
});
