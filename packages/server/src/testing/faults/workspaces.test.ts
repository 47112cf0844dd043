import { workspaceFlows } from './flows/workspace-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(workspaceFlows);
