/** `node examples/helpdesk/make-types.ts`: makes `src/freehold.d.ts` from the demo of the platform that runs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createManagement } from '@freehold/client/management';
import { generateTypes } from '@freehold/client/types';
import { readDemo } from './demo-platform.ts';

const url = `http://127.0.0.1:${process.env.FREEHOLD_MANAGEMENT_PORT ?? '4001'}`;
const { builder } = await readDemo();
const session = await createManagement({ url }).call('logIn', { body: builder });
if ('second_factor' in session) throw new Error('the builder of the demo has a second factor');
const management = createManagement({ url, token: session.token });
const { items } = await management.call('listEntities', { query: { env: 'test' } });
const entities = await Promise.all(
  items.map(({ name }) => management.call('readEntity', { query: { entityName: name } })),
);
writeFileSync(join(import.meta.dirname, 'src', 'freehold.d.ts'), generateTypes({ entities }));
