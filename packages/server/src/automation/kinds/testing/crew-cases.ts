import type { KindCases } from '../../../promotion/testing/kind-cases.ts';

export const crewCases: KindCases = {
  name: 'packers',
  identity: 'name',
  content: {
    name: 'packers',
    description: 'Packs.',
    status: 'active',
    agents: [
      {
        name: 'finder',
        prompt: 'Find what is to be packed.',
        model: 'small',
        tools: [
          { kind: 'entity', name: 'order' },
          { kind: 'entity', name: 'user' },
          { kind: 'logicblock', name: 'close-order' },
        ],
        guardrails: ['Never open a parcel.'],
        memory: { type: 'conversation', messages_max: 20 },
      },
      { name: 'packer', prompt: 'Pack it.', model: 'small' },
    ],
    nodes: [
      { id: 'first', agent: 'finder', next: ['second'] },
      { id: 'second', agent: 'packer' },
    ],
  },
  closed: ['', '/agents/0', '/agents/0/tools/0', '/agents/0/memory', '/nodes/0'],
  refused: [
    { at: '/name', value: 'pack', error: '/name contradiction' },
    { at: '/status', value: 'on', error: '/status not_in_enum' },
    { at: '/agents', value: [], error: '/agents too_few' },
    { at: '/agents/1/name', value: 'finder', error: '/agents/1/name duplicate' },
    { at: '/agents/0/prompt', value: '', error: '/agents/0/prompt too_short' },
    { at: '/agents/0/prompt', value: 'a'.repeat(20_001), error: '/agents/0/prompt too_long' },
    { at: '/agents/0/tools/0/kind', value: 'mail', error: '/agents/0/tools/0/kind not_in_enum' },
    { at: '/agents/0/tools/1', value: { kind: 'entity', name: 'order' }, error: '/agents/0/tools/1 duplicate' },
    { at: '/agents/0/memory/messages_max', value: 0, error: '/agents/0/memory/messages_max out_of_range' },
    { at: '/nodes/0/agent', value: 'boss', error: '/nodes/0/agent unknown_reference' },
    { at: '/nodes/0/next/0', value: 'third', error: '/nodes/0/next/0 unknown_reference' },
    { at: '/nodes/1/id', value: 'first', error: '/nodes/1/id duplicate' },
  ],
  changes: [
    { at: '/description', value: undefined, says: ['`description` is not said any more; it was `"Packs."`'] },
    { at: '/status', value: 'inactive', says: ['`status` is `"inactive"` now, and was `"active"`'] },
    {
      at: '/agents/0/tools',
      value: [{ kind: 'entity', name: 'note' }],
      says: [
        'agent `finder` may use the entity `note`',
        'agent `finder` may not use the entity `order` any more',
        'agent `finder` may not use the entity `user` any more',
        'agent `finder` may not use the logicblock `close-order` any more',
      ],
    },
    {
      at: '/agents/0/prompt',
      value: 'Find.',
      says: ['agent `finder`: `prompt` is `"Find."` now, and was `"Find what is to be packed."`'],
    },
    { at: '/agents/1/model', value: 'large', says: ['agent `packer`: `model` is `"large"` now, and was `"small"`'] },
    { at: '/nodes', value: undefined, says: ['node `first` is taken out', 'node `second` is taken out'] },
  ],
  added: ['crew `packers` is new, with the agents `finder`, `packer`'],
  removed: ['crew `packers` is taken out'],
  references: [
    '/agents/0/tools/0/name entity order: its agent `finder` uses the entity',
    '/agents/0/tools/2/name logicblock close-order: its agent `finder` uses the logicblock',
  ],
  widening: [
    { at: '/agents/1/tools', value: [{ kind: 'entity', name: 'note' }], wider: ['the crew may use the entity `note`'] },
    { at: '/status', value: 'inactive', wider: [] },
  ],
};
