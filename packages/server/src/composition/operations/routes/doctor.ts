import { platformDoctorApi } from '@freehold/contract/management/operator/doctor';
import type { ReplyOf } from '@freehold/contract/route';
import type { AnyRoute } from '../../../api/route.ts';
import { serve } from '../../../api/serve.ts';

export interface DoctorRouteDeps {
  readonly diagnoses: { read(): Promise<ReplyOf<typeof platformDoctorApi.readDiagnosis>> };
}

/** What the doctor finds beside the running platform, for the operator. */
export function doctorRoutes({ diagnoses }: DoctorRouteDeps): readonly AnyRoute[] {
  return [serve(platformDoctorApi.readDiagnosis, () => diagnoses.read())];
}
