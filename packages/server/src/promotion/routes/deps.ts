import type { TemplateApplications } from '../../identity/port.ts';
import type { PromotionModule } from '../open-promotion.ts';

export interface PromotionRouteDeps extends Pick<PromotionModule, 'promotion' | 'items'> {
  readonly templateApplications: Pick<TemplateApplications, 'apply'>;
}
