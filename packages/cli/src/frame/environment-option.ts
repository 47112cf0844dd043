import { Option } from 'commander';

/** `--env test|prod`, which every command takes that reads of either. */
export function environmentOption(): Option {
  return new Option('--env <env>', 'environment').choices(['test', 'prod']).default('test');
}
