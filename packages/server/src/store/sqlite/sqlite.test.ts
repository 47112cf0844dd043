import { withNeighbour } from '../conformance/neighbour.ts';
import { storeConformance } from '../conformance/run-conformance.ts';
import { sqliteSubject } from './temporary-store.ts';

storeConformance('SQLite', sqliteSubject);
storeConformance('SQLite, next door to another scope', withNeighbour(sqliteSubject));
