import { actions } from '../../schema/port.ts';
import type { BodyVersions } from '../item-storage.ts';

export function newestOf(versions: BodyVersions): number {
  return typeof versions === 'number' ? versions : Math.max(...actions.map((action) => versions[action]));
}
