/* SPDX-License-Identifier: MIT */
/*
 * What follows the example of a field in resource/resource.def that configuration files have,
 * too: its key there, how it is read, and the member of the struct that files and rows
 * fill. Its range and help are the field's.
 *
 *   YAML(key, type, member, default, unit, flags, check, says)   as OPT of option.def
 *   YAML_ZERO(…)       the same; 0 stands for no value
 *   YAML_MAY(…)        the same; set.member says whether there is a value
 *   YAML_WIDE(key, type, member, least, most, …), YAML_MAY_WIDE(…)   the same, in files of
 *                      a range of their own
 *   YAML_LIST(key, member, least, flags, check, says)   a list, of so many items at least
 *   YAML_MAY_LIST(…)   the same, with set.member
 *   YAML_NAMES(key, type, member, default, names, flags, says)   as PICK of option.def
 *
 * says: what the reference of the files says instead of the field's help, where absence
 * means something else there; or "".
 *
 * Who expands a list of fields defines how each is emitted: FIELD_YAML and so on.
 */
#ifndef CONF_FIELD_H
#define CONF_FIELD_H

#define YAML(...) FIELD_YAML, __VA_ARGS__
#define YAML_ZERO(...) FIELD_YAML_ZERO, __VA_ARGS__
#define YAML_MAY(...) FIELD_YAML_MAY, __VA_ARGS__
#define YAML_WIDE(...) FIELD_YAML_WIDE, __VA_ARGS__
#define YAML_MAY_WIDE(...) FIELD_YAML_MAY_WIDE, __VA_ARGS__
#define YAML_LIST(key, ...) FIELD_YAML_LIST, key, LIST, __VA_ARGS__
#define YAML_MAY_LIST(key, ...) FIELD_YAML_MAY_LIST, key, LIST, __VA_ARGS__
#define YAML_NAMES(...) FIELD_YAML_NAMES, __VA_ARGS__

#endif
