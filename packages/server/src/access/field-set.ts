/** Fields of a record, by name. */
export interface FieldSet {
  has(name: string): boolean;
}
