import type { ConfigObject } from '../../config/schema/types.ts';
import { flagAt, isObject, listAt, objectAt, stringsAt, textAt } from '../../config/view.ts';
import { parseCidr, parseIpv4 } from '../scenario/addresses.ts';

/** A network card, as a config names it. */
export interface Card {
  readonly link: string;
  readonly mac?: string;
}

/** What the simulated kernel does not show of a card, so that no selector on it can match. */
const HIDDEN: readonly string[] = ['busPath', 'pciID', 'driver'];

/** Entries of `machine.network.interfaces` that are not ignored. */
export function devicesOf(legacy: ConfigObject): readonly ConfigObject[] {
  return listAt(legacy, 'machine', 'network', 'interfaces')
    .filter(isObject)
    .filter((device) => flagAt(device, 'ignore') !== true);
}

/** The entry that gives the machine its address: static ones first, then DHCP, then whatever there is. */
export function primaryDevice(devices: readonly ConfigObject[]): ConfigObject | undefined {
  return (
    devices.find((device) => staticAddress(device) !== undefined) ??
    devices.find((device) => flagAt(device, 'dhcp') === true) ??
    devices[0]
  );
}

/** The first IPv4 address with its prefix; one without a prefix is taken to be in a /24. */
export function staticAddress(device: ConfigObject): string | undefined {
  const given = [...stringsAt(device, 'addresses'), textAt(device, 'cidr')];
  const withPrefix = given.map((text) => (parseIpv4(text) === undefined ? text : `${text}/24`));
  return withPrefix.find((text) => parseCidr(text) !== undefined);
}

/** The gateway of the default route, if one is given. */
export function gatewayOf(device: ConfigObject): string | undefined {
  const routes = listAt(device, 'routes').filter((route) => ['', '0.0.0.0/0'].includes(textAt(route, 'network')));
  return routes.map((route) => textAt(route, 'gateway')).find((gateway) => parseIpv4(gateway) !== undefined);
}

/** The shared address of a link or of its VLANs; empty when there is none. */
export function vipOf(device: ConfigObject): string {
  const vlans = listAt(device, 'vlans').map((vlan) => textAt(vlan, 'vip', 'ip'));
  return textAt(device, 'vip', 'ip') || (vlans.find((ip) => ip !== '') ?? '');
}

/** The card that the entry means, made to fit its selector where the simulation can. */
export function cardOf(device: ConfigObject | undefined): Card {
  const link = textAt(device, 'interface') || 'eth0';
  const selector = objectAt(device, 'deviceSelector');
  const mac = textAt(selector, 'hardwareAddr') || textAt(selector, 'permanentAddr');
  return mac === '' ? { link } : { link, mac: completed(mac) };
}

/** A hardware address that a pattern with `*` matches. */
function completed(pattern: string): string {
  const given = pattern.toLowerCase().replaceAll('*', '').replace(/:$/, '').split(':');
  return [...given, '02', '00', '00', '00', '00', '0a'].slice(0, 6).join(':');
}

/** What of the links the simulation does not do, for the reader of the verdict. */
export function deviceNotes(devices: readonly ConfigObject[], primary: ConfigObject | undefined): string[] {
  const notes: string[] = [];
  for (const device of devices) {
    const selector = objectAt(device, 'deviceSelector');
    const name = textAt(device, 'interface') || 'the selected link';
    const hidden = HIDDEN.filter((key) => textAt(selector, key) !== '');
    if (hidden.length > 0) {
      notes.push(
        `deviceSelector.${hidden.join(', ')} matches nothing: the simulated kernel shows no ${hidden.join(', ')} of a card`,
      );
    }
    for (const kind of ['bond', 'bridge'] as const) {
      if (objectAt(device, kind) !== undefined && device === primary)
        notes.push(`${name} is one card here: a ${kind} has no model`);
    }
    if (listAt(device, 'vlans').length > 0) notes.push(`the VLANs of ${name} have no model`);
    if (device !== primary && staticAddress(device) !== undefined)
      notes.push(`${name} does not exist: a machine has one card here`);
  }
  return notes;
}
