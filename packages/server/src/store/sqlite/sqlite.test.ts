import { withNeighbour } from '../testing/conformance/neighbour.ts';
import { storeConformance } from '../testing/conformance/run-conformance.ts';
import { sqliteSubject } from './testing/temporary-store.ts';

storeConformance('SQLite', sqliteSubject);
storeConformance('SQLite, next door to another scope', withNeighbour(sqliteSubject));
