/**
 * `duration` of CEL's library looks for the parts of a text by a pattern that takes the cube of its digits. So texts are
 * looked through first, and the library gets those that it finds a duration in.
 */
import { Environment, EvaluationError } from '@marcbachmann/cel-js';

/** What stands before `duration` in the texts that the library gets: the name of the function is then another. */
export const durationPrefix = '_';

const part = /\d*(?:\.\d*)?(?:ns|us|µs|ms|s|m|h)/y;

/** Each part takes the library some 200 ns, and no duration needs many. */
const charactersMax = 50;

export function withDurations(environment: Environment): Environment {
  const parsed = new Environment().registerVariable('text', 'string').parse('duration(text)');
  return environment.registerFunction(
    `${durationPrefix}duration(string): google.protobuf.Duration`,
    (text: string): unknown => {
      if (!isDuration(text)) throw new EvaluationError('a duration is a text such as `1h30m`');
      return parsed({ text });
    },
  );
}

/** In the time of its length: no part is looked for twice. */
function isDuration(text: string): boolean {
  if (text.length > charactersMax) return false;
  part.lastIndex = /^[-+]/.test(text) ? 1 : 0;
  do {
    if (!part.test(text)) return false;
  } while (part.lastIndex < text.length);
  return true;
}
