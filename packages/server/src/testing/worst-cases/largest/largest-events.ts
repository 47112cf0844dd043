/** Writes whose events ask as much of each record as one write allows. */
import { random, type Stage } from '../stage.ts';
import type { Largest } from '../worst-case.ts';

const eventsOfEntity = 20;
const writes = 10;
const members = 2400;

/** Goes through all members: some ten of them take as much as the events of one write may together. */
const slowCondition = (index: number): string => `record.marks.exists(m, string(m) == "x${index}")`;

/** A batch of writes under as many events as an entity may have, each with a condition over a list. */
export const writesWithEvents: Largest = {
  what: 'writes with conditions of events over lists',
  ask: async (stage) => {
    const entity = await entityWithEvents(stage);
    const data = { marks: Array.from({ length: members }, (_, index) => index % 9) };
    const operations = Array.from({ length: writes }, () => ({ action: 'create', entity, data }));
    return { body: JSON.stringify({ mode: 'independent', operations }) };
  },
};

async function entityWithEvents({ call }: Stage): Promise<string> {
  const entityName = `e${random()}`;
  const UpdateParams = [{ name: 'marks', colType: 'array', items: { colType: 'number' } }];
  await call('builder', 'POST', `/api/create-${entityName}`, { entityName, UpdateParams });
  for (let index = 0; index < eventsOfEntity; index++) {
    const name = `${entityName}x${index}`;
    const content = {
      ...{ event_name: name, entity_name: entityName, event_type: 'webhook', event_stage: 'after' },
      ...{ event_optype: 'create', enabled: true, when: slowCondition(index) },
      destination_config: { url: 'http://localhost:9/' },
    };
    await call('builder', 'POST', '/config/event', { name, content });
  }
  return entityName;
}
