/** The parts of a run that are shown have none of the values that it wrote to encrypted fields. */
import type { Run, RunError, RunStep } from './run-rows.ts';

const hiddenText = '***';

/** Shorter values are found as whole texts alone: as parts they would be in everything. */
const partCharactersMin = 4;

export class Redaction {
  readonly #texts = new Set<string>();
  readonly #unseen = new Set<string>();
  #isUsed = false;

  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Another process did a step that wrote such values. They are not known here until the step hides them again. */
  expect(path: string): void {
    this.#unseen.add(path);
  }

  /** Whether it is not known what is to be hidden: then nothing that may hold it is shown. */
  get isBlind(): boolean {
    return this.#unseen.size > 0;
  }

  hideOf(path: string, values: readonly unknown[]): void {
    for (const value of values) this.#hide(value);
    if (values.length > 0) this.#unseen.delete(path);
  }

  #hide(value: unknown): void {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (text === undefined || text === '' || text === 'null') return;
    for (const one of formsOf(text)) this.#texts.add(one);
  }

  of(value: unknown): unknown {
    if (this.#texts.size === 0) return value;
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((one) => this.of(one));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [this.#text(name), this.of(member)]));
    return typeof value === 'number' && this.#texts.has(String(value)) ? this.#text(String(value)) : value;
  }

  #text(text: string): string {
    let shown = text;
    for (const hidden of this.#texts)
      if (shown === hidden) shown = hiddenText;
      else if (hidden.length >= partCharactersMin)
        shown = withoutBeginning(shown.replaceAll(hidden, hiddenText), hidden);
    this.#isUsed ||= shown !== text;
    return shown;
  }
}

/** Half of a character may be lost where a text is cut. */
const cutEnd = /\ufffd?…$/;

/** A text that was cut may end in the beginning of a value. */
function withoutBeginning(text: string, hidden: string): string {
  if (!cutEnd.test(text)) return text;
  const kept = text.replace(cutEnd, '');
  const last = kept.slice(-1);
  // The longest beginning first, of those that end as the text does.
  for (
    let at = hidden.lastIndexOf(last, kept.length - 1);
    at >= partCharactersMin - 1;
    at = hidden.lastIndexOf(last, at - 1)
  )
    if (kept.endsWith(hidden.slice(0, at + 1))) return `${kept.slice(0, -at - 1)}${hiddenText}…`;
  return text;
}

export function runBlindly({ given: _given, returns: _returns, error, ...run }: Run): Run {
  return { ...run, input: hiddenText, ...(error && { error: errorBlindly(error) }), is_redacted: true };
}

export function stepBlindly({ output: _output, log: _log, error, ...step }: RunStep): RunStep {
  return error === undefined ? step : { ...step, error: errorBlindly(error) };
}

function errorBlindly(error: RunError): RunError {
  return { ...error, message: hiddenText };
}

/** Of a shorter text, its hexadecimal form and its parts in base64 are texts that stand for other things. */
const longText = 8;

/** A text as others write it: in base64, percent-encoded, and if it is long also hexadecimal, escaped and within base64. */
function formsOf(text: string): ReadonlySet<string> {
  const bytes = Buffer.from(text);
  const base64 = bytes.toString('base64');
  const forms = [text, base64, base64.replace(/=+$/, ''), bytes.toString('base64url'), percentEncoded(text)];
  if (text.length < longText) return new Set(forms);
  const hexadecimal = bytes.toString('hex');
  const escaped = Array.from({ length: text.length }, (_, at) => {
    return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
  return new Set([
    ...forms,
    ...[hexadecimal, hexadecimal.toUpperCase(), escaped],
    ...withEscapes(text),
    ...[0, 1, 2].flatMap((before) => withinBase64(bytes, before)),
  ]);
}

/** The characters of base64 that the bytes alone decide, where so many bytes more than a multiple of three go before. */
function withinBase64(bytes: Buffer, before: number): readonly string[] {
  const all = Buffer.concat([Buffer.alloc(before), bytes]);
  const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6)];
  return (['base64', 'base64url'] as const).map((form) => all.toString(form).slice(from, to));
}

/** As others write JSON, URLs and forms, with hexadecimal digits in either case. */
function withEscapes(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const all = percentEncoded(text).replace(/[!'()*~]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const urls = [percentEncoded(text), encodeURI(text.toWellFormed()), all, all.replaceAll('%2F', '/')];
  const forms = [...urls, all.replaceAll('%20', '+'), all.replaceAll('%2A', '*').replaceAll('%20', '+')];
  const inLowerCase = forms.map((form) => form.replace(/%[\dA-F]{2}/g, (one) => one.toLowerCase()));
  return [json, json.replaceAll('/', '\\/'), ...forms, ...inLowerCase];
}

/** Half of a surrogate pair has no such form. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
