/**
 * The examples of a page of the documentation: blocks that are fenced as `sh runnable` or `ts runnable`, and what they
 * print, in a block behind them that is fenced as `json reply` or `text reply`. The blocks in TypeScript that follow one
 * another are one program, which sees what commands before it have exported. In a reply `…` stands for any text, the value `"…"` for
 * any value, and a last element `"…"` or a member `"…": "…"` for the rest of the reply.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';

export interface Example {
  /** The line of the page that the commands begin in. */
  readonly line: number;
  readonly language: 'sh' | 'ts';
  readonly commands: string;
  readonly reply?: { readonly format: 'json' | 'text'; readonly text: string };
}

const fence = /^```(\S*)(?: (runnable|reply))?\n([\s\S]*?)^```$/gm;

export function examplesOf(page: string): readonly Example[] {
  const examples: Example[] = [];
  for (const [block, language, mark, text = ''] of page.matchAll(fence)) {
    if (mark === 'runnable') {
      assert.ok(language === 'sh' || language === 'ts', `an example in ${language}`);
      examples.push({ line: page.slice(0, page.indexOf(block)).split('\n').length + 1, language, commands: text });
    } else if (mark === 'reply') {
      const last = examples.pop();
      assert.ok(last !== undefined && last.reply === undefined, `a reply without commands: ${text}`);
      assert.ok(language === 'json' || language === 'text', `a reply in ${language}`);
      examples.push({ ...last, reply: { format: language, text } });
    }
  }
  return examples;
}

export interface Shell {
  /** The folder that commands are pasted in. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Pastes the examples into one shell in their order, and holds what each prints to the reply that the page shows. */
export async function runExamples(examples: readonly Example[], shell: Shell): Promise<void> {
  const printed = await printedBy(examples, shell);
  for (const [index, { line, reply }] of examples.entries()) {
    if (reply === undefined) continue;
    const actual = printed[index] ?? '';
    assert.ok(isAsShown(reply, actual), `line ${line} shows\n${reply.text}\nand its commands print\n${actual}`);
  }
}

const endOfBlock = '\u0001';

function printedBy(examples: readonly Example[], { cwd, env }: Shell): Promise<readonly string[]> {
  const script = examples.map(scriptOf).join('');
  return new Promise((resolve, reject) => {
    const child = execFile('sh', ['-eu'], { cwd, env, timeout: 300_000 }, (error, stdout, stderr) => {
      const printed = stdout.split(endOfBlock);
      const failed = examples[printed.length - 1];
      if (error === null) resolve(printed);
      else reject(new Error(`the commands of line ${failed?.line} fail: ${stderr}\n${printed.at(-1)}`));
    });
    child.stdin?.end(script);
  });
}

/** The part of the script that an example adds. */
function scriptOf({ language, commands }: Example, index: number, all: readonly Example[]): string {
  if (language === 'sh') return `${commands}\nprintf '\\001'\n`;
  const begin = all[index - 1]?.language === 'ts' ? '' : `node --input-type=module-typescript <<'${endOfProgram}'\n`;
  const end = all[index + 1]?.language === 'ts' ? '' : `${endOfProgram}\n`;
  return `${begin}${commands}\nprocess.stdout.write(String.fromCharCode(1));\n${end}`;
}

const endOfProgram = 'END_OF_PROGRAM';

function isAsShown({ format, text }: { readonly format: 'json' | 'text'; readonly text: string }, actual: string) {
  if (format === 'text') return matches(text.trim(), actual.trim());
  try {
    return matches(JSON.parse(text), JSON.parse(actual));
  } catch {
    return false;
  }
}

function matches(shown: unknown, actual: unknown): boolean {
  if (shown === '…') return true;
  if (typeof shown === 'string') return typeof actual === 'string' && wildcard(shown).test(actual);
  if (typeof shown !== 'object' || shown === null) return shown === actual;
  if (typeof actual !== 'object' || actual === null || Array.isArray(shown) !== Array.isArray(actual)) return false;
  const isOpen = Array.isArray(shown) ? shown.at(-1) === '…' : '…' in shown;
  const members = Object.entries(shown).filter(([name, value]) => !(isOpen && isRest(shown, name, value)));
  if (!isOpen && members.length !== Object.keys(actual).length) return false;
  const values = new Map(Object.entries(actual));
  return members.every(([name, value]) => values.has(name) && matches(value, values.get(name)));
}

function isRest(shown: object, name: string, value: unknown): boolean {
  return value === '…' && (Array.isArray(shown) ? Number(name) === shown.length - 1 : name === '…');
}

function wildcard(shown: string): RegExp {
  const parts = shown.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`);
}
