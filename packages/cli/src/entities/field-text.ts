/** Fields of a definition as words: `title:string:required`, `status:enum=open|paid:index`, `customer_id:lookup=customer`. */
import { CommandError } from '../frame/command-error.ts';
import type { JsonObject } from '../json-object.ts';

const types = [
  'string',
  'number',
  'integer',
  'boolean',
  'date',
  'datetime',
  'email',
  'url',
  'guid',
  'enum',
  'array',
  'json',
  'autoincrement',
  'encrypted',
];

interface ReadField {
  readonly field: JsonObject;
  readonly isUnique: boolean;
}

/** @throws CommandError that names the word, and what may stand there. */
export function definitionOf(entityName: string, words: readonly string[]): JsonObject {
  const read = words.map(readField);
  const unique = read.flatMap(({ field, isUnique }) =>
    isUnique ? [{ indexName: `by_${String(field.name)}`, fields: [field.name] }] : [],
  );
  return {
    entityName,
    UpdateParams: read.map(({ field }) => field),
    ...(unique.length === 0 ? {} : { UniqueIndexes: unique }),
  };
}

function readField(word: string): ReadField {
  const [name = '', type = 'string', ...hints] = word.split(':');
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) throw wrong(`\`${word}\` does not begin with the name of a field`);
  for (const hint of hints)
    if (!['required', 'index', 'search', 'unique'].includes(hint))
      throw wrong(`\`${hint}\` in \`${word}\` is no hint: use required, index, search or unique`);
  const field = {
    name,
    ...typeOf(type, word),
    ...(hints.includes('required') ? { validate: true } : {}),
    ...(hints.includes('index') ? { index: true } : {}),
    ...(hints.includes('search') ? { search: true } : {}),
  };
  return { field, isUnique: hints.includes('unique') };
}

function typeOf(text: string, word: string): JsonObject {
  const [type = '', given] = text.split('=', 2);
  if (type === 'lookup' && given !== undefined && given !== '') return { colType: 'guid', lookup: { entity: given } };
  if (type === 'enum' && given !== undefined && given !== '') return { colType: type, enumValues: given.split('|') };
  if (types.includes(type) && given === undefined && type !== 'enum') return { colType: type };
  throw wrong(
    `\`${text}\` in \`${word}\` is no type: use ${types.filter((each) => each !== 'enum').join(', ')}, enum=a|b or lookup=<entity>`,
  );
}

function wrong(sentence: string): CommandError {
  return new CommandError(sentence, {
    code: 'wrong_usage',
    next: 'write a field as `name:type:hint`, such as `--field title:string:required`',
  });
}
