/** What the configuration says of commands, looked at before anything is started. */
import { addedMounts } from "../agent/added-mounts.js";
import type { DeerflowConfig } from "../config/schema.js";
import { VIRTUAL_WORKSPACE } from "../context/home-paths.js";
import { PermissionRules } from "../policy/permission-rules.js";
import { resolveMounts } from "../sandbox/mounts.js";
import { networkPolicy } from "../sandbox/network/network-policy.js";

const permissionRules = ({ permissions }: DeerflowConfig): PermissionRules =>
  new PermissionRules(permissions, { home: VIRTUAL_WORKSPACE });

/**
 * Starts nothing and changes nothing.
 * @param home the folder that holds the threads
 * @throws DeerflowError `network_policy_invalid`, `sandbox_mount_invalid`, `permissions_invalid`
 */
export function checkSandboxConfig(config: DeerflowConfig, home: string): void {
  networkPolicy(config.sandbox.network);
  resolveMounts(addedMounts(config, home));
  permissionRules(config);
}
