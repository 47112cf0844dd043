/**
 * Counts the characters that V8 goes through at the platform's asking in code of its own: JSON, regular expressions, and
 * searches in texts. Node itself keeps to functions that it took before, so what it does is not counted.
 */

export interface CharacterCount {
  /** Since the last `take`, which this does not end. */
  counted(): number;
  /** Since the last time. */
  take(): number;
  /** Puts everything back. */
  stop(): void;
}

// biome-ignore lint/suspicious/noExplicitAny: stands in for functions of every shape
type Any = any;

interface Counted {
  readonly owner: object;
  readonly name: string;
  readonly cost: (self: Any, given: readonly Any[], answer: Any) => number;
}

/** Up to this length V8 skips through a text by all of what it looks for; beyond it may compare all of it at each place. */
const needleLengthMax = 250;

const counted: readonly Counted[] = [
  { owner: JSON, name: 'parse', cost: (_self, [text]) => String(text).length },
  { owner: JSON, name: 'stringify', cost: (_self, _given, answer) => answer?.length ?? 0 },
  { owner: String.prototype, name: 'includes', cost: searched },
  { owner: String.prototype, name: 'indexOf', cost: searched },
  {
    owner: Object.getPrototypeOf(/x/),
    name: 'exec',
    cost: (self, [text], answer) => matched(self, String(text), answer),
  },
];

export function countCharacters(): CharacterCount {
  let characters = 0;
  const originals = counted.map(({ owner, name, cost }) => {
    const original: Any = Reflect.get(owner, name);
    const counting = function (this: Any, ...given: readonly Any[]): Any {
      const answer = Reflect.apply(original, this, given);
      characters += cost(this, given, answer);
      return answer;
    };
    Reflect.set(owner, name, counting);
    return { owner, name, original };
  });
  return {
    counted: () => characters,
    take: () => {
      const taken = characters;
      characters = 0;
      return taken;
    },
    stop: () => {
      for (const { owner, name, original } of originals) Reflect.set(owner, name, original);
    },
  };
}

function searched(text: string, [needle, from = 0]: readonly Any[], answer: boolean | number): number {
  const length = String(needle).length;
  const end = typeof answer === 'number' && answer >= 0 ? answer + length : text.length;
  return Math.max(0, end - from) * (length > needleLengthMax ? length : 1);
}

function matched({ global, sticky, lastIndex }: RegExp, text: string, answer: RegExpExecArray | null): number {
  if (answer === null) return text.length;
  const found = answer.index + (answer[0]?.length ?? 0);
  // A match of those that go on has begun where the one before ended, and that is not known any more.
  return global || sticky ? Math.max(1, answer[0]?.length ?? 0, found - lastIndex) : found;
}
