import { templateFlows } from './flows/template-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(templateFlows);
