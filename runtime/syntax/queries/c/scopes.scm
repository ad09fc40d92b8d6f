; See runtime/syntax/scope_captures.h for the captures.
(function_definition declarator: (_) @pattern.function.outer) @local.scope.function
(parameter_list) @local.scope.parameters
(parameter_list) @expression
[(compound_statement) (for_statement)] @local.scope

(parameter_declaration declarator: (_) @pattern.parameter)
(declaration declarator: (_) @pattern.variable.after)
(init_declarator declarator: (_) @pattern.variable.after)
(init_declarator value: (_) @expression)
(array_declarator size: (_) @expression)
(function_declarator declarator: (identifier) @local.definition.function)
(field_declaration declarator: (field_identifier) @local.definition.field)
(pointer_declarator declarator: (field_identifier) @local.definition.field)
(array_declarator declarator: (field_identifier) @local.definition.field)
(function_declarator declarator: (field_identifier) @local.definition.method)
(enumerator name: (identifier) @local.definition.constant)
(preproc_def name: (identifier) @local.definition.macro)
(preproc_function_def name: (identifier) @local.definition.macro)
(preproc_params (identifier) @label)
(preproc_def value: (preproc_arg) @raw)
(preproc_function_def value: (preproc_arg) @raw)
(type_definition declarator: (type_identifier) @local.definition.type)
(pointer_declarator declarator: (type_identifier) @local.definition.type)
(array_declarator declarator: (type_identifier) @local.definition.type)
(function_declarator declarator: (type_identifier) @local.definition.type)
(parenthesized_declarator (type_identifier) @local.definition.type)
(struct_specifier name: (type_identifier) @local.definition.type body: (_)) @local.scope.class
(union_specifier name: (type_identifier) @local.definition.type body: (_)) @local.scope.class
(enum_specifier name: (type_identifier) @local.definition.type body: (_))
[(struct_specifier body: (_)) (union_specifier body: (_))] @local.scope.class

(call_expression function: (identifier) @call)
(call_expression function: (field_expression argument: (_) @receiver field: (field_identifier) @member.call))
(field_expression argument: (_) @receiver field: (field_identifier) @member)
(field_designator (field_identifier) @key)
(statement_identifier) @label
(type_identifier) @type
(field_identifier) @member
(identifier) @local.reference
