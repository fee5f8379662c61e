/** What a program does to the machine around it, by its name and arguments. One row an effect. */
import type { BuiltInRuleId } from "../command-rules.js";
import { hasLong, hasShort, parseArguments } from "./arguments.js";
import type { Call } from "./auditor.js";
import { rowsByProgram } from "./program-table.js";
import { isDisk } from "./targets.js";
import type { Field } from "./values.js";

interface Effect {
  /** Names of the programs, without folder. */
  readonly programs: RegExp;
  rules(call: Call): readonly BuiltInRuleId[];
}

const texts = (fields: readonly Field[]) => fields.map(({ text }) => text);
const when = (broken: boolean, rule: BuiltInRuleId): readonly BuiltInRuleId[] => (broken ? [rule] : []);

/** The rules that a program breaks by what it does to the machine. Pure. */
export const systemRules = (call: Call): readonly BuiltInRuleId[] =>
  effectsFor(call.name).flatMap((effect) => effect.rules(call));

const INSTALLS =
  /^(install|add|upgrade|dist-upgrade|full-upgrade|reinstall|localinstall|groupinstall|inject)$/;
const ADDRESS = /^(https?|git|ssh|ftp)(\+\w+)?:\/\/|^git\+/;
/** Folders of the machine that a container must not get. */
const HOST_FOLDERS =
  /^\/(|bin|boot|dev|etc|home|lib\w*|proc|root|run|sbin|sys|usr|var|var\/run|(var\/)?run\/(docker|containerd|podman)\S*)$/;

/** What a container is given of the machine: `-v /:/host`, `--mount type=bind,source=/,…`. */
function holdsMachine({ fields, scope }: Call): boolean {
  const { values, options } = parseArguments(fields, [
    "-v",
    "--volume",
    "--mount",
    "--pid",
    "--cap-add",
    "--device",
  ]);
  const given = fields.flatMap(({ text }, index) => {
    const [, option, attached] = /^(-v|--volume|--mount)=?([^]*)$/.exec(text) ?? [];
    if (option === undefined) return [];
    return [attached === "" || attached === undefined ? (fields[index + 1]?.text ?? "") : attached];
  });
  const sources = given.map(
    (text) => /(?:^|,)(?:source|src)=([^,]*)/.exec(text)?.[1] ?? text.split(":")[0] ?? "",
  );
  const capability = values.get("--cap-add")?.text ?? "";
  return (
    options.includes("--privileged") ||
    isDisk(values.get("--device")?.text ?? "") ||
    values.get("--pid")?.text === "host" ||
    /^(ALL|SYS_(ADMIN|PTRACE|MODULE|RAWIO))$/i.test(capability) ||
    sources.some((source) => source.startsWith("/") && HOST_FOLDERS.test(scope.state.absolute(source)))
  );
}

/** Whether `kill` names all processes, or the first. */
function killsAll(fields: readonly Field[]): boolean {
  const words = texts(fields);
  const first = words[0] ?? "";
  const skipped = /^-(s|n|-signal)$/.test(first) ? 2 : Number(words.length > 1 && /^-[\w]/.test(first));
  return words.slice(skipped).some((word) => word === "-1" || word === "1");
}

const EFFECTS: readonly Effect[] = [
  {
    programs: /^(useradd|userdel|usermod|groupadd|groupdel|passwd|chpasswd|visudo|vipw)$/,
    rules: () => ["write-system"],
  },
  {
    programs: /^(nc|ncat|netcat|nc\.\w+)$/,
    rules: ({ fields }) => {
      const parsed = parseArguments(fields, ["-p", "-s", "-w", "-i", "-q", "-X", "-x"]);
      const runs = hasShort(parsed, "ec") || hasLong(parsed, "--exec") || hasLong(parsed, "--sh-exec");
      return runs ? ["network-shell"] : [];
    },
  },
  {
    programs: /^socat$/,
    rules: ({ fields }) =>
      texts(fields).some((text) => /^(exec|system|shell):/i.test(text)) ? ["network-shell"] : [],
  },
  { programs: /^(sudo|su|doas|pkexec|runuser)$/, rules: () => ["change-user"] },
  {
    programs:
      /^(pip[\d.]*|pipx|uv|apt|apt-get|aptitude|dnf|microdnf|yum|zypper|apk|brew|snap|opkg|gem|cargo|go|conda|mamba|micromamba|poetry)$/,
    rules: ({ fields }) =>
      texts(parseArguments(fields).operands)
        .slice(0, 3)
        .some((word) => INSTALLS.test(word))
        ? ["install-package"]
        : [],
  },
  {
    programs: /^(npm|pnpm|yarn|bun)$/,
    rules: ({ fields }) =>
      texts(fields).some((text) => /^(-g|--global|global|--location=global)$/.test(text)) &&
      texts(fields).some((text) => /^(i|install|add)$/.test(text))
        ? ["install-package"]
        : [],
  },
  {
    programs: /^(pacman|dpkg|rpm)$/,
    rules: ({ fields }) =>
      texts(fields).some((text) => /^(-S|-U|-i|--install)/.test(text)) ? ["install-package"] : [],
  },
  {
    programs: /^python[\d.]*$/,
    rules: ({ fields }) => {
      const words = texts(fields);
      const module = words.indexOf("-m");
      const pip = module >= 0 && /^(pip|ensurepip|easy_install)$/.test(words[module + 1] ?? "");
      return pip && words.slice(module).some((word) => INSTALLS.test(word)) ? ["install-package"] : [];
    },
  },
  {
    programs: /^(npx|pnpx|bunx|uvx|deno|pipx|go|pnpm|yarn)$/,
    rules: ({ name, fields }) => {
      const words = texts(fields);
      const runs = name.endsWith("x") || /^(run|dlx|exec)$/.test(words[0] ?? "");
      return when(runs && words.some((word) => ADDRESS.test(word)), "run-download");
    },
  },
  {
    programs: /^python[\d.]*$/,
    rules: ({ fields }) => {
      const [script, verb] = texts(fields);
      return when(/(^|\/)setup\.py$/.test(script ?? "") && verb === "install", "install-package");
    },
  },
  {
    programs: /^enable$/,
    rules: ({ fields }) =>
      when(
        texts(fields).some((text) => /^-\w*f/.test(text)),
        "loader-variable",
      ),
  },
  {
    programs: /^crontab$/,
    rules: ({ fields, scope }) => {
      const isRead = texts(fields).includes("-l") || (fields.length === 0 && scope.stdin.text === "");
      return when(!isRead, "run-later");
    },
  },
  {
    programs: /^(at|batch)$/,
    rules: ({ fields }) => when(!texts(fields).some((text) => /^-[lrdcV]/.test(text)), "run-later"),
  },
  {
    programs:
      /^(shutdown|reboot|poweroff|halt|telinit|kexec|insmod|modprobe|rmmod|swapon|swapoff|umount|nsenter|killall5|pivot_root|systemd-run|debugfs)$/,
    rules: ({ fields }) =>
      when(!texts(fields).some((text) => /^--(help|version)$/.test(text)), "system-control"),
  },
  {
    programs: /^init$/,
    rules: ({ fields }) => when(/^[0-6sS]$/.test(fields[0]?.text ?? ""), "system-control"),
  },
  {
    programs: /^systemctl$/,
    rules: ({ fields }) =>
      when(
        texts(fields).some((text) =>
          /^(start|stop|restart|try-restart|reload|enable|disable|mask|unmask|kill|isolate|edit|link|set-\w+|daemon-re\w+|poweroff|reboot|halt|suspend|hibernate|kexec|rescue|emergency)$/.test(
            text,
          ),
        ),
        "system-control",
      ),
  },
  {
    programs: /^(service|rc-service|initctl)$/,
    rules: ({ fields }) =>
      when(
        texts(fields).some((text) => /^(start|stop|restart|reload|force-reload)$/.test(text)),
        "system-control",
      ),
  },
  {
    programs: /^mount$/,
    rules: ({ fields }) =>
      when(
        texts(fields).some((text) => !text.startsWith("-") || /^-(a|-all|-bind|-move)$/.test(text)) &&
          !texts(fields).includes("-l"),
        "system-control",
      ),
  },
  {
    programs: /^(ip|ifconfig|route|tc|bridge)$/,
    rules: ({ fields }) =>
      when(
        texts(fields).some((text) => /^(set|add|del|delete|flush|change|replace|up|down|exec)$/.test(text)),
        "system-control",
      ),
  },
  {
    programs: /^(iptables|ip6tables|nft|ufw|firewall-cmd|ebtables)$/,
    rules: ({ fields }) =>
      when(
        !texts(fields).some((text) =>
          /^(-L|-S|--list\S*|-V|--version|list|status|--state|-nL|-nvL|-vnL)$/.test(text),
        ),
        "system-control",
      ),
  },
  {
    programs: /^sysctl$/,
    rules: ({ fields }) =>
      when(
        texts(fields).some(
          (text) => /^(-w|--write|-p|--load|--system)/.test(text) || /^[\w./-]+=/.test(text),
        ),
        "system-control",
      ),
  },
  {
    programs: /^(date|hwclock|timedatectl|hostnamectl|hostname|localectl)$/,
    rules: ({ name, fields }) => {
      const words = texts(fields);
      const sets =
        name === "date"
          ? words.some((word) => /^(-s|--set)/.test(word))
          : words.some((word) => /^(set-|--set|--systohc|-w$|--hctosys|-s$)/.test(word));
      return when(sets, "system-control");
    },
  },
  { programs: /^setenforce$/, rules: () => ["system-control"] },
  {
    programs: /^fuser$/,
    rules: ({ fields }) => {
      const { options, operands } = parseArguments(fields);
      const kills = options.some((option) => /^-[a-zA-Z]*k|^--kill/.test(option));
      return when(kills && operands.some(({ text }) => text === "/"), "system-control");
    },
  },
  { programs: /^kill$/, rules: ({ fields }) => when(killsAll(fields), "system-control") },
  {
    programs: /^(pkill|killall|skill)$/,
    rules: ({ fields }) => {
      const { values, operands } = parseArguments(fields, [
        "-u",
        "-U",
        "--user",
        "--euid",
        "--uid",
        "-s",
        "--signal",
      ]);
      const all = operands.some(({ text }) => /^[.^$*]*$/.test(text));
      const user = ["-u", "-U", "--user", "--euid", "--uid"].some((option) => values.has(option));
      return when(all || (user && operands.length === 0), "system-control");
    },
  },
  {
    programs: /^(docker|podman|nerdctl|docker-compose|podman-compose)$/,
    rules: (call) =>
      when(
        // Options with values of their own may stand in front: `docker -H address run`.
        texts(call.fields.slice(0, 6)).some((text) => /^(run|create|exec|container)$/.test(text)) &&
          holdsMachine(call),
        "container-escape",
      ),
  },
];

const effectsFor = rowsByProgram(EFFECTS);
