/** What a workspace has of access control: its policies, its groups, and its members. */
import { Type } from '@sinclair/typebox';
import { count, guid, named, ofRecords, policyStatement, text, time } from '../../schema.ts';

const atMost1000 = 'Of more than 1,000 the first 1,000 are counted.';

const policyMembers = {
  id: guid,
  name: text,
  statements: count,
  members: Type.Integer({ minimum: 0, description: `Who holds it directly. ${atMost1000}` }),
  groups: Type.Integer({ minimum: 0, description: `The groups that hold it. ${atMost1000}` }),
  is_of_platform: Type.Boolean({ description: 'Every workspace is founded with a policy of this name.' }),
  updated_at: time,
};

export const WorkspacePolicy = named('WorkspacePolicy', Type.Object(policyMembers));

const version = Type.Integer({ minimum: 0, description: 'As a tag (`"7"`), what `If-Match` of an update takes.' });
const namedRecord = Type.Object({ id: guid, name: text });

export const WorkspacePolicyDetails = named(
  'WorkspacePolicyDetails',
  Type.Object({
    ...policyMembers,
    version,
    statements: ofRecords(Type.Array(policyStatement)),
    held_by: Type.Array(namedRecord, { description: 'The first 20 groups that hold it.' }),
  }),
);

const groupMembers = {
  id: guid,
  name: text,
  members: Type.Integer({ minimum: 0, description: atMost1000 }),
  policies: Type.Integer({ minimum: 0, description: 'How many policies it holds.' }),
  is_of_platform: Type.Boolean({ description: 'Every workspace is founded with a group of this name.' }),
  updated_at: time,
};

export const WorkspaceGroup = named(
  'WorkspaceGroup',
  Type.Object({
    ...groupMembers,
    policy_names: Type.Array(text, { description: 'The names of the first three of its policies.' }),
  }),
);

export const WorkspaceGroupDetails = named(
  'WorkspaceGroupDetails',
  Type.Object({
    ...groupMembers,
    version,
    policies: Type.Array(namedRecord, { description: 'The policies that it holds, in its order.' }),
  }),
);

const valuesOfUser = {
  email: ofRecords(text),
  name: ofRecords(Type.String({ description: 'Empty if the member has none.' })),
  status: ofRecords(Type.String({ description: 'A member who is not `active` has no access.' })),
};

export const Holder = named(
  'Holder',
  Type.Object({
    link_id: Type.String({
      format: 'uuid',
      description: 'The `useraclpolicy` or `usergroup` record that makes the member one.',
    }),
    user_id: guid,
    ...valuesOfUser,
  }),
);

export const WorkspaceMember = named(
  'WorkspaceMember',
  Type.Object({
    user_id: guid,
    ...valuesOfUser,
    role: ofRecords(text),
    policies: Type.Array(Type.Object({ id: guid, name: text }), {
      description: 'Those that the member holds directly.',
    }),
    groups: Type.Array(Type.Object({ id: guid, name: text })),
  }),
);
