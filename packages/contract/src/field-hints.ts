/** The hints that mean something for one type of fields only, by the type. */
export const hintsOfType: Readonly<Record<string, readonly string[]>> = {
  string: ['minlength', 'maxlength', 'pattern', 'lookup'],
  number: ['min', 'max'],
  integer: ['min', 'max'],
  boolean: [],
  date: [],
  datetime: [],
  guid: ['lookup'],
  enum: ['enumValues'],
  email: [],
  url: [],
  json: [],
  array: ['items', 'minlength', 'maxlength'],
  formula: ['formula'],
  autoincrement: [],
  encrypted: ['minlength', 'maxlength'],
};
