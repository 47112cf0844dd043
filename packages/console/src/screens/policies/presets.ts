import { patternsFor, type Verb } from './statements/action-patterns.ts';

/** Statements to begin with, named after the job that they are for. */
export interface Preset {
  readonly name: string;
  readonly about: string;
  /**
   * Whether it names its entities, those of now where none is chosen: a pattern for all entities covers those of access control
   * too, whose writers may change who may do what.
   */
  readonly namesEntities?: true;
  /** @param entities none for all of them. */
  statements(entities: readonly string[]): readonly unknown[];
}

const reading: readonly Verb[] = ['get', 'list', 'count'];
const own = { StringEquals: { 'record.created_by': `$${'{user.id}'}` } };

function allow(Sid: string, verbs: readonly Verb[], entities: readonly string[], Condition?: object): object {
  const Action = patternsFor(verbs, entities);
  return { Sid, Effect: 'Allow', Action, Resource: ['*'], ...(Condition === undefined ? {} : { Condition }) };
}

export const presets: readonly Preset[] = [
  {
    name: 'Blank',
    about: 'No statements. A policy without statements allows nothing.',
    statements: () => [],
  },
  {
    name: 'Viewer',
    about: 'Reads, lists and counts all records.',
    statements: (entities) => [allow('Read', reading, entities)],
  },
  {
    name: 'Reporter',
    about: 'Makes records, and sees and changes the own ones only.',
    namesEntities: true,
    statements: (entities) => [
      allow('Report', ['create'], entities),
      allow('Own', [...reading, 'update'], entities, own),
    ],
  },
  {
    name: 'Contributor',
    about: 'Reads all records and makes new ones; changes and removes the own ones only.',
    namesEntities: true,
    statements: (entities) => [
      allow('Read', [...reading, 'create'], entities),
      allow('Own', ['update', 'delete'], entities, own),
    ],
  },
  {
    name: 'Editor',
    about: 'Reads, makes and changes all records, and removes none.',
    namesEntities: true,
    statements: (entities) => [allow('Edit', [...reading, 'create', 'update'], entities)],
  },
  {
    name: 'Manager',
    about: 'Does everything with the records, removing them included.',
    namesEntities: true,
    statements: (entities) => [allow('Manage', [], entities)],
  },
];
