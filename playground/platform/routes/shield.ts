import type { ShieldZone } from '../account/account.ts';
import { type Answer, problem } from '../answers.ts';
import { integerIn, objectIn } from '../requests.ts';
import type { Incoming } from '../server.ts';
import type { Simulation, SimulationRoute } from '../simulation.ts';
import { SUCCESS, storeDefinition } from './guardian.ts';

/** The routes of shield zones. Failures are problem details. */
export const shieldRoutes: SimulationRoute[] = [
  {
    method: 'POST',
    path: '/shield/shield-zone/{zone}/api-guardian/spec',
    spec: true,
    answer: withZone((zone, request, { now }) => storeDefinition(zone, request, false, now())),
  },
  {
    method: 'PATCH',
    path: '/shield/shield-zone/{zone}/api-guardian/spec',
    answer: withZone((zone, request, { now }) => storeDefinition(zone, request, true, now())),
  },
  { method: 'GET', path: '/shield/shield-zone/{zone}/api-guardian', answer: withZone(showGuardian) },
  {
    method: 'PUT',
    path: '/shield/shield-zone/{zone}/bot-categorization/categories/{category}',
    spec: true,
    answer: withZone(setCategory),
  },
  {
    method: 'GET',
    path: '/shield/shield-zone/{zone}/bot-categorization',
    answer: withZone((zone) => ({ status: 200, body: { categories: categoriesOf(zone), error: null } })),
  },
  { method: 'GET', path: '/shield/shield-zones/pullzone-mapping', answer: mapPullZones },
  { method: 'GET', path: '/shield/shield-zones', answer: listShieldZones },
  { method: 'GET', path: '/shield/shield-zone/get-by-pullzone/{id}', answer: showByPullZone },
  {
    method: 'GET',
    path: '/shield/shield-zone/{zone}',
    answer: withZone((zone) => ({ status: 200, body: { data: zoneObject(zone), error: SUCCESS } })),
  },
];

/** Answers for the shield zone in the path; an unknown one is refused with problem details. */
export function withZone(
  answer: (zone: ShieldZone, request: Incoming, simulation: Simulation) => Answer,
): SimulationRoute['answer'] {
  return (simulation, request) => {
    const { zone: id } = request.params;
    const zone = simulation.account.shieldZones.find((other) => String(other.shieldZoneId) === id);
    if (zone) {
      return answer(zone, request, simulation);
    }
    const detail = 'The shield zone was not found, or you have no access to it.';
    return problem(404, detail, request.path, 'not_found_or_unauthorised_access.shieldzone');
  };
}

/** `GET /shield/shield-zone/{zone}/api-guardian` */
function showGuardian({ guardian }: ShieldZone, { path }: Incoming): Answer {
  if (guardian) {
    return { status: 200, body: { data: guardian, error: SUCCESS } };
  }
  const detail = 'No API Guardian configuration found for this shield zone.';
  return problem(404, detail, path, 'api_guardian.get_api_guardian.no_configuration');
}

/** `GET /shield/shield-zones/pullzone-mapping` */
function mapPullZones({ account }: Simulation): Answer {
  const data = account.shieldZones.map(({ shieldZoneId, pullZoneId }) => ({ shieldZoneId, pullZoneId }));
  return { status: 200, body: { data } };
}

/** `GET /shield/shield-zones` */
function listShieldZones({ account }: Simulation, { query, path }: Incoming): Answer {
  const refuse = (_: string, message: string) => problem(400, message, path);
  const page = integerIn(query, 'page', { low: 1, high: 1_000_000, default: 1 }, refuse);
  const perPage = integerIn(query, 'perPage', { low: 1, high: 1000, default: 10 }, refuse);
  const totalCount = account.shieldZones.length;
  const totalPages = Math.ceil(totalCount / perPage);
  return {
    status: 200,
    body: {
      data: account.shieldZones.slice((page - 1) * perPage, page * perPage).map(zoneObject),
      page: {
        totalCount,
        totalPages,
        currentPage: page,
        nextPage: page < totalPages ? page + 1 : null,
        pageSize: perPage,
      },
    },
  };
}

/** `GET /shield/shield-zone/get-by-pullzone/{id}` */
function showByPullZone({ account }: Simulation, { params }: Incoming): Answer {
  const zone = account.shieldZones.find((other) => String(other.pullZoneId) === params.id);
  return zone ? { status: 200, body: { data: zoneObject(zone), error: SUCCESS } } : NO_SHIELD_ZONE;
}

/** A pull zone without a shield zone is answered with 202, as on the platform. */
const NO_SHIELD_ZONE: Answer = {
  status: 202,
  body: {
    data: null,
    error: {
      statusCode: 404,
      success: false,
      message: 'No shield zone exists for this pull zone.',
      errorKey: 'not_found.shieldzone',
    },
  },
};

function zoneObject({ shieldZoneId, pullZoneId, planType, sensitivity }: ShieldZone): object {
  return { shieldZoneId, pullZoneId, planType, dDoSShieldSensitivity: sensitivity };
}

/** `PUT /shield/shield-zone/{zone}/bot-categorization/categories/{category}` */
function setCategory(zone: ShieldZone, request: Incoming): Answer {
  const refuse = (status: number, detail: string, errorKey: string) => problem(status, detail, request.path, errorKey);
  const category = Number(request.params.category);
  if (!/^\d{1,3}$/.test(request.params.category ?? '') || category > 7) {
    return refuse(400, `The category ${request.params.category} is not valid: 0 to 7.`, 'invalid_category');
  }
  const { action } = objectIn(request, refuse(400, 'The request body is not a JSON object.', 'invalid_body'));
  if (action !== 0 && action !== 1 && action !== 2) {
    return refuse(400, 'The action must be 0 (None), 1 (Block) or 2 (Allow).', 'invalid_action');
  }
  if (zone.planType === 0) {
    const detail =
      'Unable to make changes whilst on the Basic tier of the shield. Please upgrade to Advanced to enable Bot Detection.';
    return refuse(403, detail, 'invalid_plan_type.bot_detection');
  }
  zone.botActions[category] = action;
  return { status: 200, body: { data: { category, action }, error: SUCCESS } };
}

/** Parts of the bots' user agents, by category. */
const BOTS: Record<number, readonly string[]> = {
  1: ['searchcrawler', 'seoauditbot'],
  2: ['modelreader', 'corpusbot'],
  3: ['assistant-fetch'],
  4: ['uptime-probe', 'feed-reader'],
  5: ['adscheck'],
  6: ['linkpreview'],
  7: ['socialcard'],
};

function categoriesOf(zone: ShieldZone): object[] {
  return [1, 2, 3, 4, 5, 6, 7].map((category) => {
    const categoryAction = zone.botActions[category] ?? 0;
    return {
      category,
      categoryAction,
      bots: (BOTS[category] ?? []).map((userAgentMatch, index) => ({
        botId: category * 10 + index,
        userAgentMatch,
        category,
        action: categoryAction,
        isVerifiable: category < 5,
      })),
    };
  });
}
