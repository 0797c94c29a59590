// Light, dark, or as the system has it; remembered on this machine.

const KEY = "muster-theme";
const CHOICES = [
  ["", "◐", "as the system"],
  ["light", "☀", "light"],
  ["dark", "☾", "dark"],
];

export function beginTheme(button) {
  let chosen = CHOICES.findIndex(([name]) => name === (localStorage.getItem(KEY) ?? ""));
  const apply = () => {
    const [name, sign, meaning] = CHOICES[Math.max(0, chosen)];
    document.documentElement.dataset.theme = name;
    button.textContent = sign;
    button.setAttribute("aria-label", `Colours: ${meaning}. Change them.`);
    button.title = `Colours: ${meaning}`;
    localStorage.setItem(KEY, name);
    dispatchEvent(new Event("muster-theme"));
  };
  button.addEventListener("click", () => {
    chosen = (chosen + 1) % CHOICES.length;
    apply();
  });
  apply();
}
