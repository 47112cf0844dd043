import { type Child, h } from './tree.ts';

/** Code with its strings, comments, names and words in colours; languages that are not known stay as they are. */
export function highlighted(text: string, language: string): readonly Child[] {
  const rules = languages[language];
  if (rules === undefined || text.length > charactersMax) return [text];
  const children: Child[] = [];
  let end = 0;
  for (const match of text.matchAll(rules)) {
    const [name] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? [];
    if (name === undefined) continue;
    if (match.index > end) children.push(text.slice(end, match.index));
    children.push(h('span', { class: `hl-${name}` }, match[0]));
    end = match.index + match[0].length;
  }
  if (end < text.length) children.push(text.slice(end));
  return children;
}

/** Beyond this the page would have more marks than text. */
const charactersMax = 20_000;

const json =
  /(?<name>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\\n]|\\.)*")|(?<word>\b(?:true|false|null)\b|-?\b\d[\d.e+-]*\b)/g;
const script =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)|(?<word>\b(?:as|async|await|class|const|else|export|extends|false|for|from|function|if|import|in|interface|let|new|null|of|readonly|return|throw|true|try|type|typeof|undefined|while)\b)|(?<number>\b\d[\d_.]*\b)/g;
const shell =
  /(?<comment>(?<=^|\s)#[^\n]*)|(?<name>\$\{?\w+\}?|^\w+(?==))|(?<string>'[^']*'|"(?:[^"\\]|\\.)*")|(?<word>(?<=^|\s|\|)(?:curl|npm|npx|node|git|docker|kubectl|freehold|for|do|done|if|then|fi|while)(?=\s))|(?<number>(?<=\s)-{1,2}[a-zA-Z][\w-]*)/gm;
const settings = /(?<comment>(?<=^|\s)#[^\n]*)|(?<name>^[\s-]*[\w./-]+(?=:))|(?<string>'[^'\n]*'|"[^"\n]*")/gm;

const languages: Readonly<Record<string, RegExp>> = {
  json,
  ts: script,
  tsx: script,
  js: script,
  sh: shell,
  yaml: settings,
};
