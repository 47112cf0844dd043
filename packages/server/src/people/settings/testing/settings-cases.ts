import type { KindCases } from '../../../promotion/testing/kind-cases.ts';

export const settingsCases: KindCases = {
  name: 'house.door',
  content: { value: 7, prod_value: 3 },
  closed: [''],
  refused: [
    { at: '/value', value: 'wide', error: '/value wrong_type' },
    { at: '/value', value: undefined, error: '/value wrong_type' },
    { at: '/prod_value', value: null, error: '/prod_value wrong_type' },
    { at: '', value: 7, error: ' wrong_type' },
  ],
  changes: [
    { at: '/value', value: 8, says: ['setting `house.door`: `value` is `8` now, and was `7`'] },
    {
      at: '/prod_value',
      value: undefined,
      says: ['setting `house.door`: `prod_value` is not said any more; it was `3`'],
    },
  ],
  added: ['setting `house.door` is settled: `7`', 'setting `house.door` of production is settled: `3`'],
  removed: ['setting `house.door` is taken out: its default holds, `1`'],
  references: ['/value settings house.frame: hangs in it'],
  widening: [
    { at: '/value', value: 100, wider: [] },
    { at: '/prod_value', value: 4, wider: ['the door is open by 1 more'] },
    { at: '', value: { value: 100 }, wider: ['the door is open by 47 more'] },
    { at: '', value: { value: 2 }, wider: [] },
  ],
};
