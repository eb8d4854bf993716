import type { Controller } from '../../../cosi/index.ts';
import { passController, strong, weak } from '../../../cosi/index.ts';
import type { MachineNet, Route } from '../../../platform/net.ts';
import { AddressStatuses, type RouteSpecSpec, RouteSpecs } from '../../resources/network.ts';

const NAME = 'network.RouteSpecController';

/** Adds and removes routes. A route whose gateway is not reachable yet is tried again when addresses change. */
export function routeSpecController(net: MachineNet): Controller {
  return passController({
    name: NAME,
    inputs: [strong(RouteSpecs), weak(AddressStatuses)],
    outputs: [],
    pass: (context) => {
      for (const { metadata, spec } of context.list(RouteSpecs)) {
        const route = routeOf(spec);
        if (metadata.phase === 'tearingDown') {
          if (present(net, route)) net.removeRoute(route);
          context.removeFinalizer(RouteSpecs, metadata.id, NAME);
          continue;
        }
        context.addFinalizer(RouteSpecs, metadata.id, NAME);
        const hasAddress = net.links().some((link) => link.name === route.link && link.addresses.length > 0);
        if (hasAddress && !present(net, route)) net.addRoute(route);
      }
      return undefined;
    },
  });
}

function routeOf(spec: RouteSpecSpec): Route {
  return {
    destination: spec.dst,
    link: spec.outLinkName,
    metric: spec.priority,
    ...(spec.gateway === '' ? {} : { gateway: spec.gateway }),
  };
}

function present(net: MachineNet, route: Route): boolean {
  return net
    .routes()
    .some(
      (known) =>
        known.destination === route.destination &&
        known.link === route.link &&
        known.metric === route.metric &&
        (known.gateway ?? '') === (route.gateway ?? ''),
    );
}
