import { Type } from '@sinclair/typebox';

export const renamedFields = Type.Array(
  Type.Object({
    name: Type.String({ description: 'The key, or the pattern in `Fields`, as the statement has it.' }),
    field: Type.String({ description: 'The name that the field has now.' }),
  }),
  { description: 'Fields that a statement means by an earlier name or an alias.' },
);
