; See runtime/syntax/scope_captures.h for the captures.
(function_declaration name: (identifier) @local.definition.function) @local.scope.function
(method_declaration name: (field_identifier) @local.definition.method) @local.scope.function
(func_literal) @local.scope.function
(type_spec name: (type_identifier) @local.definition.type) @local.scope
(type_alias name: (type_identifier) @local.definition.type)
[(block) (if_statement) (for_statement) (expression_switch_statement) (type_switch_statement)
 (select_statement) (expression_case) (default_case) (type_case) (communication_case)] @local.scope

(parameter_declaration name: (identifier) @local.definition.parameter)
(variadic_parameter_declaration name: (identifier) @local.definition.parameter)
(type_parameter_declaration name: (identifier) @local.definition.type_parameter)
(short_var_declaration left: (_) @pattern.variable) @after
(range_clause left: (_) @pattern.variable ":=" right: (_) @after)
(receive_statement left: (_) @pattern.variable ":=" right: (_) @after)
(type_switch_statement alias: (expression_list (identifier) @local.definition.variable))
(var_spec name: (identifier) @local.definition.variable) @after
(const_spec (identifier) @local.definition.variable) @after
(field_declaration name: (field_identifier) @local.definition.field)
(method_elem name: (field_identifier) @local.definition.method)
(import_spec name: (package_identifier) @local.definition.import)
(package_clause (package_identifier) @import)

(call_expression function: (identifier) @call)
(call_expression function: (selector_expression operand: (_) @receiver field: (field_identifier) @member.call))
(selector_expression operand: (_) @receiver field: (field_identifier) @member)
(qualified_type package: (_) @receiver name: (type_identifier) @member)
; Keys of maps are expressions, keys of structs are fields; a named type may be either.
(composite_literal type: (map_type)
  body: (literal_value (keyed_element . (literal_element (identifier) @reference))))
(keyed_element . (literal_element (identifier) @key))
(label_name) @label
(type_identifier) @type
(field_identifier) @member
(package_identifier) @local.reference
(identifier) @local.reference
