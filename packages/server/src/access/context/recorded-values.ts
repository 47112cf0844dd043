import { foldAscii } from '../../lib/fold-ascii.ts';
import { type Effort, wholeEffort } from '../effort.ts';
import type { AccessContext } from './context.ts';
import { type ContextKey, isPending } from './context-key.ts';

type RecordedScalar = string | number | boolean;

/** The values that a call had under keys, by the keys in lower case; null where it had nothing. */
export type RecordedTexts = Readonly<Record<string, RecordedScalar | readonly RecordedScalar[] | null>>;

/** Of one call; what is longer is not kept, and then is not known later. */
const keptMax = { keys: 20, valueBytes: 256, bytes: 1024, listLength: 20 } as const;

/**
 * Reads what a decision asks of the record, the body, the query and the token. The rest of a call is kept with it anyway.
 * @param isSecret whether a field is one whose values are kept nowhere else in clear.
 */
export function readKept(
  keys: readonly ContextKey[],
  context: AccessContext,
  isSecret: (field: string) => boolean,
): RecordedTexts {
  const effort: Effort = wholeEffort();
  const kept: Record<string, RecordedScalar | readonly RecordedScalar[] | null> = {};
  let bytes = 0;
  for (const key of keys) {
    const name = foldAscii(key.text);
    if (!isOfCall(name) || Object.hasOwn(kept, name) || isPending(key, context)) continue;
    const found = plainValue(key.read(context, effort));
    if (found === undefined || (found !== null && key.fieldNames(context).some(isSecret))) continue;
    const size = name.length + JSON.stringify(found).length;
    if (size > keptMax.valueBytes || bytes + size > keptMax.bytes || Object.keys(kept).length >= keptMax.keys) continue;
    bytes += size;
    kept[name] = found;
  }
  return effort.stepsLeft < 0 ? {} : kept;
}

/** The values that a call had under keys, in place of the call. */
export class RecordedValues {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(kept: RecordedTexts) {
    this.#values = new Map(Object.entries(kept).map(([name, value]) => [name, value === null ? undefined : value]));
  }

  find(text: string): { readonly value: unknown } | undefined {
    const name = foldAscii(text);
    return this.#values.has(name) ? { value: this.#values.get(name) } : undefined;
  }

  /** Whether the call may have had something under the key that was not kept. */
  isUnknown(text: string): boolean {
    const name = foldAscii(text);
    return isOfCall(name) && !this.#values.has(name);
  }
}

function isOfCall(name: string): boolean {
  return /^(?:record|jwt|request\.body|request\.queryparameters)\./.test(name);
}

/** Undefined for what cannot be kept as it is; null for nothing. */
function plainValue(found: unknown): RecordedScalar | readonly RecordedScalar[] | null | undefined {
  if (found === undefined || found === null) return null;
  if (isScalar(found)) return found;
  if (Array.isArray(found) && found.length <= keptMax.listLength && found.every(isScalar)) return found;
  return undefined;
}

function isScalar(value: unknown): value is RecordedScalar {
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  );
}
