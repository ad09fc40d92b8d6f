; See runtime/syntax/scope_captures.h for the captures.
(namespace_declaration name: (identifier) @local.definition.namespace) @local.scope.namespace
(namespace_declaration) @local.scope.namespace
(class_declaration name: (identifier) @local.definition.type) @local.scope.class
(record_declaration name: (identifier) @local.definition.type) @local.scope.class
(struct_declaration name: (identifier) @local.definition.type) @local.scope.class
(interface_declaration name: (identifier) @local.definition.type) @local.scope.class
(enum_declaration name: (identifier) @local.definition.type) @local.scope.class
(delegate_declaration name: (identifier) @local.definition.type) @local.scope.function
(method_declaration name: (identifier) @local.definition.function) @local.scope.function
(local_function_statement name: (identifier) @local.definition.function) @local.scope.function
[(constructor_declaration) (destructor_declaration) (operator_declaration)
 (conversion_operator_declaration) (indexer_declaration) (accessor_declaration)
 (lambda_expression) (anonymous_method_expression)] @local.scope.function
(constructor_declaration name: (identifier) @type)
(destructor_declaration name: (identifier) @type)
[(block) (for_statement) (foreach_statement) (using_statement) (fixed_statement) (catch_clause)
 (switch_section) (switch_expression_arm) (query_expression)] @local.scope

(record_declaration (parameter_list (parameter name: (identifier) @local.definition.field)))
(parameter name: (identifier) @local.definition.parameter)
(implicit_parameter) @local.definition.parameter
(type_parameter name: (identifier) @local.definition.type_parameter)
(variable_declarator name: (identifier) @local.definition.variable)
(variable_declarator (tuple_pattern (identifier) @local.definition.variable))
(property_declaration name: (identifier) @local.definition.variable)
(event_declaration name: (identifier) @local.definition.variable)
(enum_member_declaration name: (identifier) @local.definition.constant)
(foreach_statement left: (identifier) @local.definition.variable)
(foreach_statement left: (tuple_pattern (identifier) @local.definition.variable))
(catch_declaration name: (identifier) @local.definition.variable)
(declaration_expression name: (identifier) @local.definition.variable)
(declaration_pattern name: (identifier) @local.definition.variable)
(var_pattern name: (identifier) @local.definition.variable)
(recursive_pattern name: (identifier) @local.definition.variable)
(from_clause name: (identifier) @local.definition.variable)
(let_clause (identifier) @local.definition.variable)
(using_directive name: (identifier) @local.definition.import)
(using_directive (identifier) @import)

; Names that a tuple or an anonymous object gives its values: no declaration of the file.
(tuple_element name: (identifier) @label)
(tuple_expression (argument name: (identifier) @label))
(anonymous_object_creation_expression (identifier) @label . "=")

(invocation_expression
  function: (member_access_expression expression: _ @receiver name: (identifier) @member.call))
(invocation_expression
  function: (member_access_expression
    expression: _ @receiver name: (generic_name (identifier) @member.call)))
(invocation_expression function: (identifier) @call)
(invocation_expression function: (generic_name (identifier) @call))
(member_access_expression expression: _ @receiver name: (identifier) @member)
(member_access_expression expression: _ @receiver name: (generic_name (identifier) @member))
(member_binding_expression name: (identifier) @member)
(qualified_name qualifier: (_) @receiver name: (identifier) @member)
(argument name: (identifier) @key)
(initializer_expression (assignment_expression left: (identifier) @key))
(subpattern . (identifier) @key)
(with_initializer . (identifier) @key)
(attribute_argument name: (identifier) @key)
(labeled_statement . (identifier) @label)
(goto_statement (identifier) @label)

(method_declaration returns: (identifier) @type)
(base_list (identifier) @type)
(type_argument_list (identifier) @type)
(attribute name: (identifier) @type)
(object_creation_expression type: (identifier) @type)
(parameter type: (identifier) @type)
(variable_declaration type: (identifier) @type)
(property_declaration type: (identifier) @type)
(cast_expression type: (identifier) @type)
(typeof_expression type: (identifier) @type)
(tuple_element type: (identifier) @type)
(array_type type: (identifier) @type)
(nullable_type type: (identifier) @type)
(declaration_pattern type: (identifier) @type)
(foreach_statement type: (identifier) @type)
(catch_declaration type: (identifier) @type)
(generic_name . (identifier) @type)
(identifier) @local.reference
