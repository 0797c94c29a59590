// Light, dark, or as the system has it; remembered on this machine.

const KEY = "muster-theme";
const CHOICES = [["", "Colours: system"], ["light", "Colours: light"], ["dark", "Colours: dark"]];

export function beginTheme(button) {
  let chosen = CHOICES.findIndex(([name]) => name === (localStorage.getItem(KEY) ?? ""));
  const apply = () => {
    const [name, text] = CHOICES[Math.max(0, chosen)];
    document.documentElement.dataset.theme = name;
    button.textContent = text;
    localStorage.setItem(KEY, name);
    dispatchEvent(new Event("muster-theme"));
  };
  button.addEventListener("click", () => {
    chosen = (chosen + 1) % CHOICES.length;
    apply();
  });
  apply();
}
