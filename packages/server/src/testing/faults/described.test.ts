import { described } from './flows/every-flow.ts';
import { testFlows } from './test-flows.ts';

await testFlows(described.flows);
