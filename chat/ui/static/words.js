// The page's own texts in its language, as the server put them into the page (chat/ui/language.py).

const given = JSON.parse(document.getElementById("duet-words")?.textContent ?? "{}");
const texts = given.texts ?? {};
export const language = given.language ?? "en";
const rules = new Intl.PluralRules(language);

// Digits as the server writes them.
export const number = (value, digits = 0) =>
  value.toLocaleString(`${language}-u-nu-latn`, { minimumFractionDigits: digits, maximumFractionDigits: digits });

// `{name}` in the text stands for that value.
export const _ = (text, values = {}) => filled(texts[text] ?? text, values);

// Marks a text that is kept in the source's words and put into a language where it is shown.
export const N_ = (text) => text;

// The text for so many, in which `{n}` is their number.
export function ngettext(one, many, count, values = {}) {
  const forms = texts[one] ?? { one, other: many };
  return filled(forms[rules.select(count)] ?? forms.other, { n: number(count), ...values });
}

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
