/** The content of an item as YAML 1.2: what JSON can say, and comments. */
import {
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

/** Texts that an older reader of YAML would take for something else are quoted; lines are not broken. */
const written = { lineWidth: 0, aliasDuplicateObjects: false } as const;
const read = { version: '1.2', schema: 'core', compat: 'yaml-1.1', uniqueKeys: true, prettyErrors: true } as const;

export type ReadContent = { readonly content: unknown } | { readonly mistakes: readonly string[] };

/** A file is one document that JSON could say: no anchor, alias or tag, and no number that is none. */
export function readContent(text: string): ReadContent {
  const document = parseDocument(text, { ...read, strict: true });
  const mistakes = document.errors.map(({ message }) => message.split('\n')[0] ?? message);
  if (mistakes.length === 0) mistakes.push(...foreignNodes(document));
  if (mistakes.length === 0 && document.contents === null) mistakes.push('the file is empty');
  return mistakes.length > 0 ? { mistakes } : { content: document.toJS() as unknown };
}

function foreignNodes(document: Document.Parsed): readonly string[] {
  const mistakes: string[] = [];
  visit(document, {
    Node: (key, node) => {
      if (isAlias(node)) mistakes.push(`\`*${node.source}\` is an alias`);
      else if (node.anchor !== undefined) mistakes.push(`\`&${node.anchor}\` is an anchor`);
      else if (node.tag !== undefined && !node.tag.startsWith('tag:yaml.org,2002:'))
        mistakes.push(`\`${node.tag}\` is a tag`);
      else if (isScalar(node)) mistakes.push(...foreignScalar(node, key === 'key'));
      else if (key === 'key') mistakes.push('a name of a member is no text');
    },
  });
  return mistakes;
}

function foreignScalar({ value, source = '' }: Scalar, isKey: boolean): readonly string[] {
  if (isKey && typeof value !== 'string') return [`the name of a member, \`${String(value)}\`, is no text: quote it`];
  if (typeof value !== 'number') return [];
  if (!Number.isFinite(value)) return [`\`${value}\` is no number of JSON`];
  const isExact = !/^[-+]?\d+$/.test(source) || BigInt(source.replace(/^\+/, '')) === BigInt(value);
  return isExact ? [] : [`\`${source}\` has more digits than a number keeps`];
}

/** A new file, with the members in the order of the platform. */
export function newText(content: unknown): string {
  return new Document(content, read).toString(written);
}

/**
 * The file with another content: comments, the order of the members and all that is the same stay. What is the same text
 * for text stays byte for byte.
 */
export function changedText(text: string, content: unknown): string {
  const document = parseDocument(text, read);
  if (document.errors.length > 0 || document.contents === null) return newText(content);
  if (isSame(document.toJS(), content)) return text;
  const merged = merge(document, document.contents, content);
  document.contents = merged as typeof document.contents;
  return document.toString(written);
}

/** The node with the content; itself wherever that can be. */
function merge(document: Document, node: Node | null, content: unknown): Node {
  if (isMap(node) && isObject(content)) return mergeMap(document, node, content);
  if (isSeq(node) && Array.isArray(content)) {
    const before = node.items as (Node | null)[];
    keepFirstComment(node, before[0]);
    node.items = matched(document, before, content).map(([from, value]) => merge(document, from, value));
    return node;
  }
  if (isScalar(node) && !isObject(content) && !Array.isArray(content)) return mergeScalar(node, content);
  const made = document.createNode(content) as Node;
  made.commentBefore = node?.commentBefore ?? null;
  made.comment = node?.comment ?? null;
  return made;
}

/** A comment before the first element is kept with the list: it moves with its element. */
function keepFirstComment(node: YAMLSeq, first: Node | null | undefined): void {
  if (first === null || first === undefined || !node.commentBefore || first.commentBefore) return;
  first.commentBefore = node.commentBefore;
  node.commentBefore = null;
}

function mergeMap(document: Document, node: YAMLMap, content: Readonly<Record<string, unknown>>): YAMLMap {
  for (const pair of [...node.items]) {
    const name = keyOf(pair.key);
    if (name === undefined || !Object.hasOwn(content, name)) node.delete(pair.key);
    else pair.value = merge(document, pair.value as Node | null, content[name]);
  }
  const names = new Set(node.items.map(({ key }) => keyOf(key)));
  for (const [name, value] of Object.entries(content)) if (!names.has(name)) node.add(document.createPair(name, value));
  return node;
}

function mergeScalar(node: Scalar, content: unknown): Scalar {
  if (Object.is(node.value, content)) return node;
  node.value = content;
  // The encoding of the old value.
  delete node.source;
  delete node.format;
  delete node.type;
  return node;
}

/** Each new element with the old one that it continues: of the same name, the same content, or in the same place. */
function matched(
  document: Document,
  before: readonly (Node | null)[],
  after: readonly unknown[],
): readonly (readonly [Node | null, unknown])[] {
  const values = before.map((node) => node?.toJS(document) as unknown);
  const free = new Set(before.keys());
  const take = (fits: (value: unknown, at: number) => boolean): number | undefined => {
    const found = [...free].find((at) => fits(values[at], at));
    if (found !== undefined) free.delete(found);
    return found;
  };
  const same = after.map((value) => take((other) => isSame(other, value)));
  return after.map((value, at) => {
    const named = identity(value);
    const found =
      same[at] ??
      (named === undefined
        ? take((other, place) => place === at && identity(other) === undefined)
        : take((other) => identity(other) === named));
    return [found === undefined ? null : (before[found] ?? null), value];
  });
}

/** By what an element of a list is known, wherever it is in the list. */
function identity(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const name = value.name ?? value.id;
  return typeof name === 'string' ? name : undefined;
}

function keyOf(key: unknown): string | undefined {
  const value = isScalar(key) ? key.value : key;
  return typeof value === 'string' ? value : undefined;
}

/** Whether two contents are the same, in whatever order their members are. */
export function isSame(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((value, at) => isSame(value, right[at]));
  if (!isObject(left) || !isObject(right)) return Object.is(left, right) || (left === 0 && right === 0);
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isSame(left[name], right[name]))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
