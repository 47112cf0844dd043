/** Texts of TypeScript made of names and descriptions that builders chose. None of them can be anything but a name or a comment. */

export interface Member {
  readonly name: string;
  readonly type: string;
  readonly isOptional?: boolean;
  readonly isWritable?: boolean;
  readonly description?: string | undefined;
  readonly isDeprecated?: boolean;
}

/** An object type with these members; of several with one name the last. */
export function objectType(members: readonly Member[], indent: string): string {
  const byName = new Map(members.map((member) => [member.name, member]));
  if (byName.size === 0) return 'Record<never, never>';
  const inner = `${indent}  `;
  const lines = [...byName.values()].map((member) => `${comment(member, inner)}${inner}${memberText(member)};\n`);
  return `{\n${lines.join('')}${indent}}`;
}

function memberText({ name, type, isOptional = false, isWritable = false }: Member): string {
  return `${isWritable ? '' : 'readonly '}${keyText(name)}${isOptional ? '?' : ''}: ${type}`;
}

export function keyText(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** A string literal. */
export function literal(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escaped);
}

export function unionOf(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  return distinct.length === 0 ? 'never' : distinct.join(' | ');
}

export function literals(texts: readonly string[]): string {
  return unionOf(texts.map(literal));
}

/** The type of an array; a union is put into brackets. */
export function arrayOf(type: string): string {
  return `readonly ${type.includes(' ') ? `(${type})` : type}[]`;
}

function comment({ description, isDeprecated = false }: Member, indent: string): string {
  const lines = description === undefined ? [] : plainLines(description);
  if (isDeprecated) lines.push('@deprecated');
  const [only] = lines;
  if (only === undefined) return '';
  if (lines.length === 1) return `${indent}/** ${only} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

/** Nothing in the lines ends the comment, or is a tag or a directive of the compiler. */
function plainLines(text: string): string[] {
  return text
    .split(/\r\n|[\n\r\u2028\u2029\u0085]/)
    .map((line) =>
      line
        .replace(/\p{Cc}|\ufeff/gu, ' ')
        .toWellFormed()
        .replaceAll('*/', '*\\/')
        .trim()
        .replace(/^([/*\s]*)@/, '$1\\@'),
    )
    .filter((line) => line !== '');
}

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
