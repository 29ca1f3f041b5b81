// Which language the page speaks: the one that was chosen stays in a cookie of this browser, for every tab and day.

const YEAR = 365 * 24 * 3600;

export function listen() {
  const field = document.getElementById("language");
  const name = field.dataset.cookie;
  field.value = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
  if (field.selectedIndex < 0) field.value = ""; // one that is not there any more
  field.addEventListener("change", () => {
    const path = new URL(".", document.baseURI).pathname;
    document.cookie = `${name}=${field.value}; path=${path}; max-age=${field.value ? YEAR : 0}; samesite=lax`;
    location.reload();
  });
}
