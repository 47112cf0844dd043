import { hookFlows } from './flows/hook-flows.ts';
import { secretFlows } from './flows/secret-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows({ ...hookFlows, ...secretFlows });
