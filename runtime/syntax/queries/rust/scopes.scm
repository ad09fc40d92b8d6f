; See runtime/syntax/scope_captures.h for the captures.
(function_item name: (identifier) @local.definition.function) @local.scope.function
(function_signature_item name: (identifier) @local.definition.function) @local.scope.function
(closure_expression) @local.scope.function
(mod_item name: (identifier) @local.definition.namespace) @local.scope.namespace
(struct_item name: (type_identifier) @local.definition.type) @local.scope.class
(union_item name: (type_identifier) @local.definition.type) @local.scope.class
(enum_item name: (type_identifier) @local.definition.type) @local.scope.class
(trait_item name: (type_identifier) @local.definition.type) @local.scope.class
(type_item name: (type_identifier) @local.definition.type) @local.scope
(associated_type name: (type_identifier) @local.definition.type)
(impl_item) @local.scope.class
[(block) (match_arm) (if_expression) (while_expression) (for_expression)] @local.scope

(const_item name: (identifier) @local.definition.variable)
(static_item name: (identifier) @local.definition.variable)
(macro_definition name: (identifier) @local.definition.macro)
(enum_variant name: (identifier) @local.definition.constant)
(field_declaration name: (field_identifier) @local.definition.field)
(type_parameters (type_parameter name: (type_identifier) @local.definition.type_parameter))
(const_parameter name: (identifier) @local.definition.type_parameter)

(parameter pattern: (_) @pattern.parameter)
(closure_parameters) @pattern.parameter
(parameter type: (_) @expression)
(let_declaration pattern: (_) @pattern.variable) @after
(let_condition pattern: (_) @pattern.variable) @after
(for_expression pattern: (_) @pattern.variable value: (_) @after)
(match_pattern) @pattern.variable
(match_pattern condition: (_) @expression)
(tuple_struct_pattern type: (_) @expression)
(scoped_identifier) @expression

(use_declaration argument: (identifier) @local.definition.import)
(use_declaration argument: (scoped_identifier name: (identifier) @local.definition.import))
(use_list (identifier) @local.definition.import)
(use_list (scoped_identifier name: (identifier) @local.definition.import))
(use_as_clause alias: (identifier) @local.definition.import)
(use_as_clause path: (identifier) @import)
(use_as_clause path: (scoped_identifier name: (identifier) @import))
(extern_crate_declaration name: (identifier) @local.definition.import)

(call_expression function: (identifier) @call)
(call_expression function: (field_expression value: (_) @receiver field: (field_identifier) @member.call))
(call_expression function: (scoped_identifier path: (_) @receiver name: (identifier) @member.call))
(generic_function function: (identifier) @call)
(macro_invocation macro: (identifier) @call)
(field_expression value: (_) @receiver field: (field_identifier) @member)
(scoped_identifier path: (_) @receiver name: (identifier) @member)
(scoped_type_identifier path: (_) @receiver name: (type_identifier) @member)
(field_pattern name: (shorthand_field_identifier) @shorthand)
(field_pattern name: (field_identifier) @key)
(shorthand_field_initializer (identifier) @shorthand)
(field_initializer field: (field_identifier) @key)
(token_tree (identifier) @raw)
(lifetime (identifier) @label)
(label (identifier) @label)
(type_identifier) @type
(field_identifier) @member
(shorthand_field_identifier) @local.reference
(identifier) @local.reference
