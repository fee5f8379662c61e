/** Sets the chosen theme before the first paint; a file of its own, because inline scripts are forbidden. */
try {
  const theme = localStorage.getItem("deerflow.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch (error) {
  console.info("The chosen theme cannot be read; the system's is used.", error);
}
